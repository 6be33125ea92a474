"""Validates OpenAPI documents with openapi-spec-validator.

One JSON object per line on standard input: {"name": text, "document": object}; one JSON object per
line on standard output: {"name": text, "faults": [text, ...]}. All in one process: importing the
validator takes longer than most documents.
"""

import json
import sys

from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator

# One error often repeats everywhere.
FAULTS_MAX = 20


def main():
    for line in sys.stdin:
        wanted = json.loads(line)
        print(json.dumps({"name": wanted["name"], "faults": faults(wanted["document"])}), flush=True)


def faults(document):
    found = []
    is_3_0 = str(document.get("openapi")).startswith("3.0.")
    validator = OpenAPIV30SpecValidator if is_3_0 else OpenAPIV31SpecValidator
    try:
        for error in validator(document).iter_errors():
            found.append(f"{'/'.join(map(str, error.path))}: {error.message}"[:1_000])
            if len(found) == FAULTS_MAX:
                break
    # A dangling reference raises an exception instead of being yielded.
    except Exception as error:
        found.append(f"{type(error).__name__}: {error}"[:1_000])
    return found


main()
