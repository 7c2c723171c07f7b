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

/** `pipelines.md#cancel` → `/docs/pipelines/#cancel`; other links stay. */
const addressOf = (href: string): string => {
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
