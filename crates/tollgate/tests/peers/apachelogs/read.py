"""Reads an access log, in JSON by json or in the Combined Log Format by apachelogs, and compares it with
what callers sent: a file with a JSON object a line, whose texts are in hexadecimal. Input: the format,
the path of that file, and that of the log, as a JSON list. Ends with an error at the first difference, or
else writes the number of calls."""

import codecs
import json
import sys

from apachelogs import COMBINED, LogParser

# Bytes that are not valid UTF-8 are in JSON as the characters of their numbers.
codecs.register_error(
    "byte", lambda error: ("".join(map(chr, error.object[error.start : error.end])), error.end)
)


def lines(path):
    with open(path, "rb") as file:
        for line in file.read().split(b"\n")[:-1]:
            yield line


def check(what, read, sent):
    if read != sent:
        sys.exit(f"{what}: {read!r} instead of {sent!r}")


def check_json(line, sent, texts):
    read = json.loads(line.decode())
    for name, text in texts.items():
        check(name, read.get(name, ""), text.decode(errors="byte"))
    check("status", read["status"], sent["status"])


def check_combined(line, sent, texts):
    entry = PARSER.parse(line.decode("ascii"))
    check("request line", entry.request_line, b"%b %b HTTP/1.1" % (texts["method"], texts["path"]))
    check("agent", entry.headers_in["User-Agent"] or b"", texts["agent"])
    check("referrer", entry.headers_in["Referer"] or b"", texts["referer"])
    check("status", entry.final_status, sent["status"])
    check("bytes", entry.bytes_sent, sent["bytes_out"])
    check("address", entry.remote_host, sent["address"].encode())


PARSER = LogParser(COMBINED, encoding="bytes")
log_format, sent_path, log_path = json.load(sys.stdin)
check_line = {"json": check_json, "combined": check_combined}[log_format]
count = 0
for sent, line in zip(lines(sent_path), lines(log_path), strict=True):
    sent = json.loads(sent)
    texts = {name: bytes.fromhex(text) for name, text in sent["texts"].items()}
    check_line(line, sent, texts)
    count += 1
json.dump(count, sys.stdout)
