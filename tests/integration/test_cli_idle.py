"""A conversation pauses; servers close connections that are idle."""

import http.server
import json
import threading

from unabridged.tokens.gguf import GgufTokenizer


class OneEach(http.server.BaseHTTPRequestHandler):
    """Answers `/tokenize`, says that the connection stays open, and closes it."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        words = json.loads(self.rfile.read(length))["content"].split()
        body = json.dumps({"tokens": list(range(len(words)))}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        self.close_connection = True

    def log_message(self, *_):
        pass


def test_the_embedded_tokenizer_outlives_an_idle_connection():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), OneEach) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        tokenizer = GgufTokenizer("x.gguf", f"http://127.0.0.1:{server.server_address[1]}")
        try:
            assert [tokenizer.count(text) for text in ("a", "a b", "a b c")] == [1, 2, 3]
        finally:
            tokenizer.close()
            server.shutdown()
            thread.join()
