package main

import _ "golang.org/x/oauth2/clientcredentials"

func main() {}
