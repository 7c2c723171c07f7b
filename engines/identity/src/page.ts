// Layout of all sign-in pages: the sea in the background, the card, the product's name. No script, no inline style.
import fs from 'node:fs';
import { Html, html } from './html.ts';

const sea = new Html(fs.readFileSync(new URL('./assets/sea.svg', import.meta.url), 'utf8'));

const logo = html`<p class="logo">
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <path d="M1 20.5h22M2.5 8.5 16 17.4" stroke="currentColor" stroke-width="2.5" fill="none" />
    <path class="hull" d="m8.6 2.6 11 7.2-5.3 3.8L5.7 8z" />
  </svg>
  Slipway
</p>`;

export interface Page {
  /** The page's heading. The window title appends the product's name. */
  readonly title: string;
  readonly lead?: Html | string | undefined;
  readonly body?: Html | undefined;
  readonly foot?: Html | string | undefined;
}

export const renderPage = ({ title, lead, body, foot }: Page): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · Slipway</title>
        <link rel="icon" href="/favicon.svg" />
        <link rel="preload" href="/oidc/assets/atkinson-next.woff2" as="font" type="font/woff2" crossorigin />
        <link rel="stylesheet" href="/oidc/assets/sign-in.css" />
      </head>
      <body>
        ${sea}
        <main class="card">
          <header class="head">
            ${logo}
            <h1>${title}</h1>
            ${lead !== undefined && html`<p class="lead">${lead}</p>`}
          </header>
          ${body} ${foot !== undefined && html`<p class="foot">${foot}</p>`}
        </main>
      </body>
    </html> `.text;

/** Renders an error, which screen readers announce on load. `id` is for `aria-describedby`. */
export const errorNote = (text: string): Html =>
  html`<p class="error" id="problem" role="alert">
    <svg viewBox="0 0 12 12" aria-hidden="true"><path d="M1.5 1.5h9v9h-9z" /></svg>${text}
  </p>`;
