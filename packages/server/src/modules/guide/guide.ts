/** The user guide at /docs/: Markdown files, rendered on the first request of a page, then served from memory. */
import { accessSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { chaptersIn, pathOfPage, type Chapter } from './chapters.ts';
import { guideFiles, type GuideFile } from './files.ts';
import { documentPolicy, pageFrame, type Contents } from './page-frame.ts';
import type { RenderedPage } from './render-markdown.ts';

const headers = {
  'content-security-policy': documentPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
};

const missing: RenderedPage = {
  title: 'There is no such page',
  html: '<h1>There is no such page</h1><p>The guide has no page at this address. <a href="/docs/">Go to its first page</a>, or choose one of the contents.</p>',
};

const fileOf = (directory: string, slug: string): string => join(directory, `${slug}.md`);

const readPages = async (directory: string, chapters: readonly Chapter[]): Promise<Map<string, RenderedPage>> => {
  // Loaded on demand, to keep the pages and the renderer out of the start.
  const { renderMarkdown } = await import('./render-markdown.ts');
  const slugs = chapters.flatMap((chapter) => chapter.slugs);
  return new Map(slugs.map((slug) => [slug, renderMarkdown(readFileSync(fileOf(directory, slug), 'utf8'))] as const));
};

const contentsOf = (chapters: readonly Chapter[], pages: ReadonlyMap<string, RenderedPage>, current: string | undefined): Contents => ({
  label: 'Guide',
  groups: chapters.map(({ heading, slugs }) => ({
    heading,
    links: slugs.map((slug) => ({ label: pages.get(slug)?.title ?? slug, href: pathOfPage(slug), isCurrent: slug === current })),
  })),
});

const sendFile = (request: FastifyRequest, reply: FastifyReply, file: GuideFile): FastifyReply => {
  reply.headers({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff', etag: file.etag }).type(file.type);
  return request.headers['if-none-match'] === file.etag ? reply.status(304).send() : reply.send(file.body);
};

interface Guide {
  /** Complete HTML documents by slug. */
  readonly pages: ReadonlyMap<string, string>;
  readonly notFound: string;
}

const makeGuide = async (directory: string, chapters: readonly Chapter[]): Promise<Guide> => {
  const rendered = await readPages(directory, chapters);
  const framed = (page: RenderedPage, slug?: string): string =>
    pageFrame({ place: 'guide', title: page.title, contents: contentsOf(chapters, rendered, slug), body: page.html });
  return { pages: new Map([...rendered].map(([slug, page]) => [slug, framed(page, slug)])), notFound: framed(missing) };
};

/** `directory` contains `{slug}.md` for every page of the chapters, and additional pages. Throws if one is missing. */
export const mountGuide = (server: FastifyInstance, directory: string): void => {
  const chapters = chaptersIn(directory);
  for (const { slugs } of chapters) for (const slug of slugs) accessSync(fileOf(directory, slug));
  const slugs = new Set(chapters.flatMap((chapter) => chapter.slugs));
  const files = guideFiles();
  let made: Promise<Guide> | undefined;

  const sendPage = async (reply: FastifyReply, slug: string): Promise<FastifyReply> => {
    const { pages, notFound } = await (made ??= makeGuide(directory, chapters));
    return reply
      .status(pages.has(slug) ? 200 : 404)
      .headers(headers)
      .type('text/html; charset=utf-8')
      .send(pages.get(slug) ?? notFound);
  };

  server.get('/docs', (_request, reply) => reply.redirect('/docs/', 308));
  server.get('/docs/', (_request, reply) => sendPage(reply, 'index'));
  server.get<{ Params: { '*': string } }>('/docs/*', (request, reply) => {
    const path = request.params['*'];
    const file = files.get(path);
    if (file) return sendFile(request, reply, file);
    const slug = path.replace(/\/$/, '');
    // Redirects to one canonical URL for each page, so that relative links and bookmarks work.
    if (slugs.has(slug) && path !== `${slug}/`) return reply.redirect(pathOfPage(slug), 308);
    return slug === 'index' ? reply.redirect('/docs/', 308) : sendPage(reply, slug);
  });
};
