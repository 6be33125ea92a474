// A document with the parts that real ones have besides operations: described tags, all parameter
// locations, media types, named examples, headers, links, callbacks, webhooks, a discriminator,
// deprecated parts, contact, licence and terms.

export const ANIMALS = `openapi: 3.1.0
info:
  title: Animals
  version: "1"
  summary: Animals of the shelter
  description: "Text with **bold** and a [link](https://example.com)."
  contact: { name: The shelter, email: shelter@example.com, url: "https://example.com/contact" }
  license: { name: MIT, url: "https://example.com/licence" }
  termsOfService: https://example.com/terms
externalDocs: { url: "https://example.com/docs", description: The handbook }
servers: [{ url: "http://127.0.0.1:7401" }]
tags:
  - { name: search, description: "How **search** works, in words that fill more than a single line" }
  - { name: body, description: Adding and changing, externalDocs: { url: "https://example.com/body", description: How to add } }
paths:
  /search:
    parameters:
      - { name: X-Trace, in: header, description: From the path, schema: { type: string } }
    get:
      tags: [search]
      operationId: search
      summary: Search **all** animals of the shelter by name, age and kind
      description: |
        Finds animals. The newest come first, at most a hundred a page.

        ## Paging

        Pass the cursor of the last answer, until an answer has none.
      externalDocs: { url: "https://example.com/search" }
      parameters:
        - name: filter
          in: query
          style: deepObject
          description: Only animals that match every part of the filter. Parts that are absent match all.
          schema: { $ref: "#/components/schemas/Filter" }
        - { name: ids, in: query, schema: { type: array, items: { type: integer }, maxItems: 50 } }
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 100, default: 20 } }
        - { name: since, in: query, deprecated: true, schema: { type: string, format: date-time } }
        - name: state
          in: query
          required: true
          schema: { type: [string, "null"], enum: [open, closed, null], default: open }
        - { name: sess, in: cookie, schema: { type: string } }
      responses:
        "200":
          description: A page of animals
          headers:
            X-Total: { required: true, description: All that match, schema: { type: integer } }
          links:
            add: { operationId: addAnimal, description: Adds one, parameters: { name: $response.body#/0/name } }
          content:
            application/json:
              schema: { type: array, items: { $ref: "#/components/schemas/Animal" } }
              examples:
                cats: { summary: Cats only, value: [{ kind: cat, name: Tom, lives: 9 }] }
                dogs: { summary: Dogs only, value: [{ kind: dog, name: Rex, barks: true }] }
        4XX:
          description: A fault of the call
          content:
            application/problem+json: { schema: { $ref: "#/components/schemas/Problem" } }
  /animals:
    post:
      tags: [body]
      operationId: addAnimal
      summary: Add an animal
      deprecated: true
      callbacks:
        done:
          "{$request.body#/url}":
            post:
              summary: The animal is ready
              requestBody:
                content: { application/json: { schema: { $ref: "#/components/schemas/Animal" } } }
              responses: { "204": { description: Taken } }
      requestBody:
        required: true
        description: The animal, as JSON or as a line of CSV
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Animal" }
            examples:
              cat: { summary: A cat, value: { kind: cat, name: Tom, lives: 9 } }
              dog: { summary: A dog, value: { kind: dog, name: Rex, barks: true } }
          text/csv: { schema: { type: string } }
      responses: { "201": { description: Added } }
  /tree:
    get:
      summary: The family tree
      responses:
        "200":
          description: All of it
          content: { application/json: { schema: { $ref: "#/components/schemas/Node" } } }
webhooks:
  newAnimal:
    post:
      summary: An animal has come
      requestBody:
        content: { application/json: { schema: { $ref: "#/components/schemas/Animal" } } }
      responses: { "200": { description: Taken } }
components:
  schemas:
    Filter:
      type: object
      properties: { name: { type: string }, age: { type: object, properties: { gte: { type: integer } } } }
    Animal:
      oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }]
      discriminator:
        propertyName: kind
        mapping: { cat: "#/components/schemas/Cat", dog: "#/components/schemas/Dog" }
    Cat:
      type: object
      required: [kind, name]
      properties:
        kind: { const: cat }
        name: { type: string, minLength: 1, maxLength: 40, description: What it answers to }
        lives: { type: integer, exclusiveMinimum: 0, maximum: 9 }
    Dog:
      type: object
      required: [kind, name]
      properties: { kind: { const: dog }, name: { type: string }, barks: { type: boolean } }
    Node:
      type: object
      properties:
        value: { type: string }
        children: { type: array, items: { $ref: "#/components/schemas/Node" } }
    Problem:
      type: object
      properties: { code: { type: string, enum: [a, b] }, title: { type: string } }
`;
