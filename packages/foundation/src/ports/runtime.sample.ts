/**
 * The program in the image that `runtimeSuite` runs: a service that produces typical faults on request. It needs only Node, runs as `node
 * /app/main.js`, and reads MODE from its environment.
 */
export const SAMPLE_PROGRAM = `
'use strict';
const http = require('node:http');
const fs = require('node:fs');
const mode = process.env.MODE || 'serve';
const started = process.env.VERSION || '';
let isHealthy = true;
const held = [];
const routes = {
  '/healthz': (q, s) => { s.statusCode = isHealthy ? 200 : 500; s.end('health'); },
  '/version': (q, s) => s.end(started),
  '/who': (q, s) => s.end(JSON.stringify({ port: process.env.PORT, pid: process.pid, uid: process.getuid() })),
  '/env': (q, s) => s.end(String(process.env[q.searchParams.get('name')])),
  '/file': (q, s) => fs.readFile(q.searchParams.get('path'), 'utf8', (e, d) => s.end(e ? 'error ' + e.code : d)),
  '/list': (q, s) => fs.readdir(q.searchParams.get('path'), (e, d) => s.end(e ? 'error ' + e.code : d.join(' '))),
  '/kill': (q, s) => { try { process.kill(Number(q.searchParams.get('pid')), 'SIGKILL'); s.end('killed'); } catch (e) { s.end('error ' + e.code); } },
  '/slow': (q, s) => setTimeout(() => s.end('slow'), Number(q.searchParams.get('ms'))),
  '/never': () => {},
  '/sick': (q, s) => { isHealthy = false; s.end('sick'); },
  '/well': (q, s) => { isHealthy = true; s.end('well'); },
  '/exit': (q) => process.exit(Number(q.searchParams.get('code'))),
  '/say': (q, s) => { console.log(q.searchParams.get('text')); s.end('said'); },
  '/grow': (q, s) => { s.end('growing'); setInterval(() => held.push(Buffer.alloc(16 * 1024 * 1024, 1)), 5); },
  '/burn': (q, s) => { s.end('burning'); const end = Date.now() + Number(q.searchParams.get('ms')); setTimeout(() => { while (Date.now() < end); }); },
  '/fill': (q, s) => {
    const file = fs.openSync('/tmp/fill', 'w');
    const block = Buffer.alloc(1024 * 1024, 1);
    try { for (let mb = 0; mb < 300; mb++) fs.writeSync(file, block); } catch (e) {
      console.error(String(e));
      if (q.searchParams.get('exit')) process.exit(1);
    }
    s.end('filled');
  },
  '/fetch': (q, s) => fetch(q.searchParams.get('url')).then(async (a) => s.end(a.status + ' ' + await a.text()), () => s.end('failed')),
  '/metrics': (q, s) => s.end('# HELP berths_total Berths\\n# TYPE berths_total counter\\nberths_total{kind="quay"} 7\\n'),
  '/much': (q, s) => s.end('x'.repeat(100000)),
  '/echo': (q, s, request) => {
    let size = 0;
    request.on('data', (c) => { size += c.length; });
    request.on('end', () => { s.setHeader('set-cookie', ['a=1', 'b=2']); s.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, size })); });
  },
};
const server = http.createServer((request, response) => {
  const url = new URL(request.url, 'http://service');
  const route = routes[url.pathname];
  if (route) return route(url, response, request);
  response.statusCode = 404;
  response.end('no such path ' + request.url);
});
server.on('upgrade', (request, socket) => {
  if (request.url.includes('refuse')) return socket.end('HTTP/1.1 400 Bad Request\\r\\ncontent-length: 0\\r\\n\\r\\n');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: echo\\r\\n\\r\\n');
  socket.pipe(socket);
  socket.on('error', () => {});
});
console.log('mode ' + mode);
console.error('to stderr');
if (mode === 'crash') { console.log('about to crash'); process.exit(3); }
if (mode === 'serve' || mode === 'abrupt') server.listen(Number(process.env.PORT), process.env.HOST, () => console.log('listening'));
if (mode === 'wrong') server.listen(Number(process.env.WRONG_PORT), '127.0.0.1');
if (mode === 'late') setTimeout(() => server.listen(Number(process.env.PORT), process.env.HOST), 1500);
if (mode === 'worker' || mode === 'deaf') setInterval(() => console.log('working'), 100);
if (mode !== 'rude' && mode !== 'abrupt') process.on('SIGTERM', () => { console.log('draining'); if (!server.listening) process.exit(0); server.close(() => process.exit(0)); });
if (mode === 'rude') setInterval(() => {}, 1000);
`;
