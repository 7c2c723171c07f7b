/** Builds the console into `dist`: hashed files, no inline script or style (content security policy), each also compressed beforehand. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { chunkGroups } from './build/chunks.ts';
import { leanContractPlugin } from './build/lean-contract.ts';

const compressible = /\.(js|css|svg|html|json|woff2?)$/;
/** Below that the headers of another encoding cost more than it saves. */
const smallestBytes = 1024;

/** Writes `.br` and `.gz` beside every file, at the best levels: the server then sends them from disk as they are. */
const precompress = (): Plugin => ({
  name: 'precompress',
  apply: 'build',
  async writeBundle({ dir = 'dist' }) {
    const names = await readdir(dir, { recursive: true });
    await Promise.all(
      names
        .filter((name) => compressible.test(name) && !name.endsWith('.woff2'))
        .map(async (name) => {
          const path = join(dir, name);
          const content = await readFile(path);
          if (content.length < smallestBytes) return;
          const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
          await writeFile(`${path}.br`, await promisify(brotliCompress)(content, quality));
          await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
        }),
    );
  },
});

/**
 * Preloads what the first screen needs beside the entry: the code of lists, which most people see first and every page uses, and the text
 * font. The monospace font loads when something needs it.
 */
const preloadFirstScreen = (): Plugin => ({
  name: 'preload-first-screen',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle }) => {
      const files = Object.keys(bundle ?? {});
      const font = files.find((name) => /atkinson-hyperlegible-next-latin-wght-normal.*\.woff2$/.test(name));
      const first = files.filter((name) => /\/(list|AppsPage)-[\w-]+\.(js|css)$/.test(name));
      const link = (attrs: Record<string, string>) => ({ tag: 'link', attrs: { ...attrs, crossorigin: '' }, injectTo: 'head' as const });
      return [
        ...first.map((name) =>
          link(name.endsWith('.css') ? { rel: 'preload', href: `/${name}`, as: 'style' } : { rel: 'modulepreload', href: `/${name}` }),
        ),
        ...(font ? [link({ rel: 'preload', href: `/${font}`, as: 'font', type: 'font/woff2' })] : []),
      ];
    },
  },
});

/** The server that `npm run dev` passes everything to that is not the console. */
const server = process.env['SLIPWAY_SERVER'] ?? 'http://localhost:4000';

export default defineConfig({
  plugins: [react(), leanContractPlugin(), preloadFirstScreen(), precompress()],
  build: {
    outDir: 'dist',
    target: 'baseline-widely-available',
    // A data: URL would need a wider content security policy for fonts and scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: 'hidden',
    reportCompressedSize: false,
    rolldownOptions: {
      // A warning of the build fails it: nobody reads warnings of the first start.
      onwarn: ({ code, message }) => {
        throw new Error(`${code ?? 'Warning'}: ${message}`);
      },
      output: { codeSplitting: { groups: chunkGroups(resolve(import.meta.dirname, 'src')) } },
    },
  },
  server: { proxy: Object.fromEntries(['/api', '/oidc', '/docs', '/runtime-config.json'].map((path) => [path, server])) },
});
