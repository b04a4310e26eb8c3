"""http-server.py - serves model folders as the released repository is served,
and on demand badly

    http-server.py LOG NAME=DIR ...

Prints its two ports when it is ready; the second one stands for another host.
A request is /NAME/FAULT/api/models/OWNER/REPO/tree/REV?... for the list of DIR's
files, in pages, or /NAME/FAULT/OWNER/REPO/resolve/REV/PATH for one of them.
FAULT is "none" or one of those below.  LOG gets a line for each request: port,
path, its Range, whether there was a token.
"""
import hashlib
import http.server
import json
import os
import re
import sys
import threading
import time
import urllib.parse

TOKEN = 'Bearer hf_right'
PAGE = 40
NAMES = {
    'name-up': '../evil',
    'name-in': 'a/../../evil',
    'name-root': '/tmp/evil',
    'name-line': 'evil\nname',
    'name-escape': 'evil\x1b[31m',
    'name-latin': 'evil\x9b',
    'name-back': 'evil\\name',
    'name-own': 'k3-files',
    'name-part': 'config.json.part',
    'name-twice': 'config.json',
    'name-empty': '',
    'name-none': None,
}
LISTS = {
    'list-text': b'<html>hello</html>',
    'list-object': b'{"error": "x"}',
    'list-numbers': b'[1, 2]',
    'list-empty': b'[]',
    'list-cut': b'[{"type": "file", "path": "a", "si',
    'list-huge': json.dumps([{'type': 'file', 'path': 'a', 'oid': 'a' * 40,
                              'size': 9 * 10**14}]).encode(),
    'list-negative': b'[{"type": "file", "path": "a", "size": -1}]',
    'list-half': b'[{"type": "file", "path": "a", "size": 1.5}]',
    'list-vast': b'[{"type": "file", "path": "a", "size": 1e300}]',
}
folders = {}
seen = {}
lock = threading.Lock()
other = 0
log = None


def times(*key):
    """How often this was asked before."""
    with lock:
        seen[key] = seen.get(key, 0) + 1
        return seen[key] - 1


def files(folder):
    for where, _, names in os.walk(folder):
        for name in names:
            full = os.path.join(where, name)
            with open(full, 'rb') as f:
                yield os.path.relpath(full, folder), f.read()


def entry(name, data):
    """As the API has it: small files by git's digest, large by their own."""
    blob = hashlib.sha1(b'blob %d\0' % len(data) + data).hexdigest()
    row = {'type': 'file', 'oid': blob, 'size': len(data), 'path': name}
    if name.endswith('.safetensors') or name.endswith('.model'):
        row['oid'] = hashlib.sha1(b'pointer').hexdigest()
        row['lfs'] = {'oid': hashlib.sha256(data).hexdigest(),
                      'size': len(data), 'pointerSize': 135}
    return row


rows_of = {}


def rows(folder, fault):
    with lock:
        if folder not in rows_of:
            rows_of[folder] = [entry(*f) for f in sorted(files(folder))]
    out = [{'type': 'directory', 'oid': 'b' * 40, 'size': 0, 'path': 'sub'}]
    out += json.loads(json.dumps(rows_of[folder]))
    if fault in NAMES:
        out.append(dict(out[1], path=NAMES[fault]))
    for row in out:
        if row['path'] != 'model.safetensors':
            continue
        if fault in ('longer', 'shorter'):
            row['size'] += -7 if fault == 'longer' else 7
            row['lfs']['size'] = row['size']
        if fault == 'undigested':
            del row['lfs'], row['oid']
    return out


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *_):
        pass

    def answer(self, code, data=b'', **more):
        self.send_response(code)
        for name, value in more.items():
            self.send_header(name.replace('_', '-'), value)
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        path, _, query = self.path.partition('?')
        token = self.headers.get('Authorization')
        with lock:
            print(self.server.server_address[1], path,
                  self.headers.get('Range', '-'),
                  'token' if token else '-', file=log, flush=True)
        try:
            _, name, fault, rest = path.split('/', 3)
            folder = folders[name]
        except (ValueError, KeyError):
            return self.answer(404)
        if fault == 'token' and self.server.server_address[1] != other:
            if token != TOKEN:
                return self.answer(403 if token else 401, b'no')
        if fault in ('401', '403', '404', '410'):
            return self.answer(int(fault), b'no')
        if fault == 'busy' and times(path) < 2:
            return self.answer((503, 429)[times(path, 'which') % 2], b'busy')
        if fault == 'down' and 'resolve' in path:
            return self.answer(500, b'down')
        if rest.startswith('api/'):
            return self.list(folder, fault, path, query)
        found = re.match(r'[^/]+/[^/]+/resolve/[^/]+/(.+)', rest)
        full = os.path.join(folder, urllib.parse.unquote(found[1]))
        if not os.path.isfile(full):
            return self.answer(404)
        if fault in ('redirect', 'token') and self.server.server_address[1] != other:
            return self.answer(302, Location='http://127.0.0.1:%d%s' % (other, path))
        with open(full, 'rb') as f:
            self.file(f.read(), fault, path)

    def list(self, folder, fault, path, query):
        if fault in LISTS:
            return self.answer(200, LISTS[fault])
        if fault == 'list-endless':
            return self.answer(200, b'[]', Link='<http://x%s?again=1>; rel="next"' % path)
        at = int(urllib.parse.parse_qs(query).get('cursor', ['0'])[0])
        out = rows(folder, fault)
        more = {}
        if at + PAGE < len(out):
            more['Link'] = ('<http://elsewhere.invalid%s?x=1>; rel="prev", '
                            '<http://elsewhere.invalid%s?cursor=%d&recursive=true>; rel="next"'
                            % (path, path, at + PAGE))
        self.answer(200, json.dumps(out[at:at + PAGE]).encode(), **more)

    def file(self, data, fault, path):
        n = times(path, 'file')
        size, start, end = len(data), 0, len(data)
        asked = re.match(r'bytes=(\d+)-$', self.headers.get('Range', ''))
        # What is wrong with ranges shows only where a file was cut before.
        cut = fault == 'cut' and n < 3 or fault.startswith('range-') and n == 0
        large = path.endswith('.safetensors')
        cut = cut or fault == 'cut-always' and large
        if fault == 'stall' and n == 0:
            cut = True
        if fault == 'corrupt-always' and large or \
                fault == 'corrupt' and n == 0:
            data = data[:-1] + bytes([data[-1] ^ 1])
        code, more = 200, {}
        if asked and fault != 'range-ignored':
            start = int(asked[1])
            if start >= size or fault == 'range-refused':
                return self.answer(416, b'x' * 5000, Content_Range='bytes */%d' % size)
            if fault == 'range-other':
                start //= 2
            if fault == 'range-half' and large:
                end = start + (size - start + 1) // 2
            code = 206
            more['Content_Range'] = 'bytes %d-%d/%d' % (start, end - 1, size)
        body = data[start:end]
        self.send_response(code)
        for name, value in more.items():
            self.send_header(name.replace('_', '-'), value)
        self.send_header('Content-Length', str(len(body)))
        for i in range(30 if fault == 'headers' else 0):
            self.send_header('X-Header-%d' % i, 'x' * 5000)
        self.end_headers()
        if fault == 'pause' and large:
            time.sleep(2.5)
        if fault == 'slow':
            for i in range(0, len(body), 4000):
                self.wfile.write(body[i:i + 4000])
                self.wfile.flush()
                time.sleep(0.02)
            return None
        self.wfile.write(body[:(len(body) + 1) // 2] if cut else body)
        self.wfile.flush()
        if fault == 'stall' and cut:
            time.sleep(20)
        self.close_connection = cut
        return None

    def handle(self):
        try:
            super().handle()
        except (ConnectionError, BrokenPipeError):
            pass


def main():
    global other, log
    log = open(sys.argv[1], 'a', encoding='ascii')
    for arg in sys.argv[2:]:
        name, _, folder = arg.partition('=')
        folders[name] = folder
    first, second = (Server(('127.0.0.1', 0), Handler) for _ in range(2))
    other = second.server_address[1]
    threading.Thread(target=second.serve_forever, daemon=True).start()
    print(first.server_address[1], other, flush=True)
    first.serve_forever()


main()
