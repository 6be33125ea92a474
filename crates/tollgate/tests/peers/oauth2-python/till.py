"""A client of the key manager by Authlib over requests: gets a token with the parameters on
standard input (JSON), calls an API with it, introspects and revokes it, and prints the results."""

import base64
import json
import sys

from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from cryptography.hazmat.primitives import serialization


def private_key(text):
    """Returns a client's private key as PEM; the input is PKCS #8 in Base64."""
    key = serialization.load_der_private_key(base64.b64decode(text), password=None)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def session(wanted, token_url):
    method = wanted["authentication"]
    is_signed = method == "private_key_jwt"
    secret = private_key(wanted["private_key"]) if is_signed else wanted["client_secret"]
    made = OAuth2Session(
        wanted["client_id"],
        secret,
        scope=" ".join(wanted["scope"]),
        token_endpoint_auth_method=method,
        revocation_endpoint_auth_method=method,
    )
    if is_signed:
        made.register_client_auth_method(PrivateKeyJWT(token_url, headers={"kid": wanted["kid"]}))
    return made


def attempt(wanted):
    server = wanted["issuer"] + "/oauth2"
    client = session(wanted, server + "/token")
    try:
        granted = client.fetch_token(server + "/token", grant_type="client_credentials")
    except OAuthError as error:
        return {"error": error.error}
    token = granted["access_token"]
    answer = client.get(wanted["api"])
    told = client.introspect_token(server + "/introspect", token=token)
    revoked = client.revoke_token(server + "/revoke", token=token)
    revoked.raise_for_status()
    after = client.introspect_token(server + "/introspect", token=token)
    refused = client.get(wanted["api"])
    return {
        "type": granted["token_type"],
        "scope": granted["scope"],
        "status": answer.status_code,
        "body": answer.text,
        "told": told.json(),
        "after": after.json(),
        "refused": {
            "status": refused.status_code,
            "error": "invalid_token" if "invalid_token" in refused.headers["WWW-Authenticate"] else None,
        },
    }


json.dump(attempt(json.load(sys.stdin)), sys.stdout)
