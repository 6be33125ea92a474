module shop.example/till

go 1.24.0

require golang.org/x/oauth2 v0.35.0
