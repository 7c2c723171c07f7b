/** Small programs to deploy: one that works, and the ways in which programs do not. */
import type { SourceFile } from '#ports/builder.ts';

const file = (path: string, content: string): SourceFile => ({ path, content: Buffer.from(content), isExecutable: false });

export const program = (main: string, more: Readonly<Record<string, string>> = {}): readonly SourceFile[] => [
  ...Object.entries(more).map(([path, content]) => file(path, content)),
  file('package.json', JSON.stringify({ name: 'program', version: '1.0.0', type: 'module', scripts: { start: 'node main.js' } })),
  file('main.js', main),
];

/** Says who it is at `/`, and ends by itself when it is asked to. */
export const goodMain = (version: string): string => `import http from 'node:http';
const server = http.createServer((request, response) => {
  if (request.url === '/env') return response.end(JSON.stringify(process.env));
  response.end(request.url === '/healthz' ? 'ok' : ${JSON.stringify(version)});
});
server.listen(Number(process.env.PORT), () => console.log('listening as', ${JSON.stringify(version)}));
process.on('SIGTERM', () => server.close());
`;
export const good = (version: string): readonly SourceFile[] => program(goodMain(version));

export const CRASH_MAIN = `console.log('starting');\nconsole.error('Error: no berth is free');\nprocess.exit(3);\n`;
/** Exits with 3 as soon as it is started. */
export const crashing = (): readonly SourceFile[] => program(CRASH_MAIN);

/** Listens, but not where it should. */
export const wrongPort = (): readonly SourceFile[] =>
  program(`import http from 'node:http';\nhttp.createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1');\n`);

/** Listens, and says at its health check that it is not well. */
export const unhealthy = (): readonly SourceFile[] =>
  program(`import http from 'node:http';
http.createServer((_, response) => { response.statusCode = 500; response.end(); }).listen(Number(process.env.PORT));
`);

/** Refuses connections at first, then answers its health check as `answer` says: a statement with `response`. */
export const lateAndUnhealthy = (answer: string, listensAfterMs = 4000): readonly SourceFile[] =>
  program(`import http from 'node:http';
const server = http.createServer((_, response) => { ${answer} });
setTimeout(() => server.listen(Number(process.env.PORT)), ${listensAfterMs});
`);

/** Does not say how it is started. */
export const unstartable = (): readonly SourceFile[] => [file('README.md', 'Nothing here')];

/** Grows until it is stopped. */
export const greedy = (): readonly SourceFile[] =>
  program(`const kept = [];
setInterval(() => { kept.push(Buffer.alloc(16 * 1024 * 1024, 1)); }, 20);
`);

/** Finds its disk full, as a program does that does not expect it. */
export const diskFull = (): readonly SourceFile[] =>
  program(`import { writeFileSync } from 'node:fs';
const part = Buffer.alloc(8 * 1024 * 1024, 1);
for (let count = 0; count < 4096; count++) writeFileSync('/tmp/part-' + count, part);
`);

/** Is well, and after a while no more. */
export const fading = (afterMs: number): readonly SourceFile[] =>
  program(`import http from 'node:http';
const startedAt = Date.now();
http.createServer((_, response) => {
  response.statusCode = Date.now() - startedAt > ${afterMs} ? 500 : 200;
  response.end();
}).listen(Number(process.env.PORT));
`);
