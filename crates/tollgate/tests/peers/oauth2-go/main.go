// A client of the key manager by golang.org/x/oauth2: gets a token for what standard input says
// (JSON), calls an API with it, and prints what came of it. The package neither revokes tokens nor
// introspects them.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

type wanted struct {
	Issuer         string   `json:"issuer"`
	ClientID       string   `json:"client_id"`
	ClientSecret   string   `json:"client_secret"`
	Authentication string   `json:"authentication"`
	Scope          []string `json:"scope"`
	API            string   `json:"api"`
}

type outcome struct {
	Error  string `json:"error,omitempty"`
	Scope  any    `json:"scope,omitempty"`
	Type   string `json:"type,omitempty"`
	Status int    `json:"status,omitempty"`
	Body   string `json:"body,omitempty"`
}

var styles = map[string]oauth2.AuthStyle{
	"client_secret_basic": oauth2.AuthStyleInHeader,
	"client_secret_post":  oauth2.AuthStyleInParams,
	"either":              oauth2.AuthStyleAutoDetect,
}

func try(wanted wanted) (outcome, error) {
	ctx := context.Background()
	config := clientcredentials.Config{
		ClientID:     wanted.ClientID,
		ClientSecret: wanted.ClientSecret,
		Scopes:       wanted.Scope,
		TokenURL:     wanted.Issuer + "/oauth2/token",
		AuthStyle:    styles[wanted.Authentication],
	}
	token, err := config.Token(ctx)
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return outcome{Error: refused.ErrorCode}, nil
	} else if err != nil {
		return outcome{}, err
	}
	answer, err := config.Client(ctx).Get(wanted.API)
	if err != nil {
		return outcome{}, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return outcome{
		Scope:  token.Extra("scope"),
		Type:   token.Type(),
		Status: answer.StatusCode,
		Body:   string(body),
	}, err
}

func main() {
	var wanted wanted
	if err := json.NewDecoder(os.Stdin).Decode(&wanted); err != nil {
		log.Fatal(err)
	}
	outcome, err := try(wanted)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(outcome); err != nil {
		log.Fatal(err)
	}
}
