/** Frame of script-free pages: the product's name, navigation, and the page's contents. Styled by guide.css. */
import { escapeHtml } from './escape-html.ts';

export interface PageLink {
  readonly label: string;
  readonly href: string;
  readonly isCurrent?: boolean;
}
export interface Contents {
  /** Accessible name of the list. */
  readonly label: string;
  readonly groups: readonly { readonly heading: string; readonly links: readonly PageLink[] }[];
}
export interface FramedPage {
  /** The current link in the top bar. */
  readonly place: 'guide' | 'api';
  readonly title: string;
  readonly contents: Contents;
  /** HTML that starts with its h1. */
  readonly body: string;
}

export const documentPolicy =
  "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const link = ({ label, href, isCurrent = false }: PageLink): string =>
  `<li><a href="${escapeHtml(href)}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(label)}</a></li>`;

const contentsOf = ({ label, groups }: Contents): string => {
  const lists = groups.map(({ heading, links }) => `<p class="group">${escapeHtml(heading)}</p><ul>${links.map(link).join('')}</ul>`);
  return `<nav class="contents" id="contents" aria-label="${escapeHtml(label)}">${lists.join('')}</nav>`;
};

const logo = `<a class="logo" href="/"><svg viewBox="0 0 24 24" aria-hidden="true"><path class="slip" d="M1 20.5h22M2.5 8.5 16 17.4"/>
<path class="hull" d="m8.6 2.6 11 7.2-5.3 3.8L5.7 8z"/></svg>Slipway</a>`;

const placesOf = (place: FramedPage['place']): string => {
  const link = (label: string, href: string, isCurrent = false) =>
    `<a href="${href}"${isCurrent ? ' aria-current="true"' : ''}>${label}</a>`;
  return `${link('Console', '/')}${link('Guide', '/docs/', place === 'guide')}${link('API', '/api/docs', place === 'api')}`;
};

export const pageFrame = ({ place, title, contents, body }: FramedPage): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(title)} · Slipway</title>
<link rel="icon" href="/favicon.svg"><link rel="stylesheet" href="/docs/guide.css"></head><body>
<a class="skip" href="#main">Skip to main content</a>
<header class="bar"><div class="column">${logo}
<nav aria-label="Slipway">${placesOf(place)}<a class="to-contents" href="#contents">Contents</a></nav>
</div></header>
<div class="column page">${contentsOf(contents)}
<main id="main" tabindex="-1">${body}</main></div></body></html>`;
