/** Renders a guide page to HTML. HTML inside a page (tables) is kept, because all pages are our own. */
import { micromark } from 'micromark';
import { pathOfPage } from './chapters.ts';
import { escapeHtml } from './escape-html.ts';

export interface RenderedPage {
  /** Plain text of the first heading. */
  readonly title: string;
  readonly html: string;
}

const textOf = (html: string): string =>
  html.replace(/<[^>]+>/g, '').replace(/&(lt|gt|quot|amp);/g, (_, name: string) => ({ lt: '<', gt: '>', quot: '"', amp: '&' })[name] ?? '');

/** Generates anchors like GitHub, so that the same links work in the repository. */
const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replace(/ /g, '-');

/**
 * Returns the console's page for the properties of a link (specification §2): `?app=berth&env=development&service=web`. A team or a
 * pipeline wins over the others.
 */
const consolePage = (properties: URLSearchParams): string => {
  const { app, env, service, revision, pipeline, team } = Object.fromEntries(
    [...properties].map(([name, value]) => [name, encodeURIComponent(value)]),
  );
  if (team) return `/team/${team}`;
  if (pipeline) return `/pipelines/${pipeline}`;
  if (!app) return '/';
  if (!env) return `/app/${app}`;
  if (!service) return `/app/${app}/${env}`;
  return `/app/${app}/${env}/service/${service}${revision ? `/revision/${revision}` : ''}`;
};

/** `pipelines.md#cancel` → `/docs/pipelines/#cancel`; `?team=cranes` → `/team/cranes`; other links stay. */
const addressOf = (href: string): string => {
  if (href.startsWith('?')) return consolePage(new URLSearchParams(href.replaceAll('&amp;', '&')));
  const [, slug, anchor = ''] = /^([a-z-]+)\.md(#.*)?$/.exec(href) ?? [];
  return slug === undefined ? href : `${pathOfPage(slug)}${anchor}`;
};

export const renderMarkdown = (markdown: string): RenderedPage => {
  const html = micromark(markdown, { allowDangerousHtml: true })
    .replace(/<h([23])>(.*?)<\/h\1>/g, (_, level: string, content: string) => {
      const anchor = escapeHtml(anchorOf(textOf(content)));
      return `<h${level} id="${anchor}">${content}</h${level}>`;
    })
    .replace(/href="([^"]*)"/g, (_, href: string) => `href="${addressOf(href)}"`)
    // Makes horizontally scrolling code focusable, so that the keyboard can scroll it.
    .replace(/<pre>/g, '<pre tabindex="0">');
  return { title: textOf(/<h1>(.*?)<\/h1>/.exec(html)?.[1] ?? 'Guide'), html };
};
