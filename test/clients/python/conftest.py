"""A fixture of the tests of the Python client: requests without an SDK."""

import json
import urllib.error
import urllib.request

import pytest


@pytest.fixture
def get():
    """Sends a GET request without a token. Returns the status and the JSON of the reply."""

    def send(url):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(url) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    return send
