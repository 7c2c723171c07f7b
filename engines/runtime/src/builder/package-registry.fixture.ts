// A package registry on its own port, so that installations in tests need no network: one package, as a real tarball.
import { hash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import { pack as createPack } from 'tar-stream';

export interface PackageRegistry {
  /** Entries of package.json and package-lock.json for the package `tide-table`. */
  readonly lock: (manifest: object) => object;
  /** Host and port. */
  readonly host: string;
  readonly requests: () => number;
  stop(): Promise<void>;
}

/** Contains an install script with a visible effect: it must never run. */
const files: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    name: 'tide-table',
    version: '1.2.0',
    main: 'index.js',
    bin: { 'tide-table': 'cli.js' },
    scripts: { install: "node -e \"fs.writeFileSync('installed.txt', 'script ran')\"" },
  }),
  'index.js': 'module.exports = () => "high water";\n',
  'cli.js': '#!/usr/bin/env node\nconsole.log(require("./index.js")());\n',
};

const tarball = async (): Promise<Buffer> => {
  const pack = createPack();
  for (const [name, text] of Object.entries(files)) pack.entry({ name: `package/${name}` }, text);
  pack.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of pack) chunks.push(chunk as Buffer);
  return gzipSync(Buffer.concat(chunks));
};

export async function startPackageRegistry(): Promise<PackageRegistry> {
  const bytes = await tarball();
  let requests = 0;
  const server = http.createServer((request, response) => {
    requests += 1;
    if (request.url !== '/tide-table/-/tide-table-1.2.0.tgz') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const resolved = `http://${host}/tide-table/-/tide-table-1.2.0.tgz`;
  const entry = {
    version: '1.2.0',
    resolved,
    integrity: `sha512-${hash('sha512', bytes, 'base64')}`,
    hasInstallScript: true,
    bin: { 'tide-table': 'cli.js' },
  };
  return {
    lock: (manifest) => ({ lockfileVersion: 3, requires: true, packages: { '': manifest, 'node_modules/tide-table': entry } }),
    host,
    requests: () => requests,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
