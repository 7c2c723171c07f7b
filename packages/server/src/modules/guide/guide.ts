/** The user guide at /docs/: Markdown files, rendered when the server starts and served from memory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { chapters, pathOfPage } from './chapters.ts';
import { guideFiles, type GuideFile } from './files.ts';
import { documentPolicy, pageFrame, type Contents } from './page-frame.ts';
import { renderMarkdown, type RenderedPage } from './render-markdown.ts';

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

const readPages = (directory: string): Map<string, RenderedPage> =>
  new Map(
    chapters.flatMap(({ slugs }) =>
      slugs.map((slug) => [slug, renderMarkdown(readFileSync(join(directory, `${slug}.md`), 'utf8'))] as const),
    ),
  );

const contentsOf = (pages: ReadonlyMap<string, RenderedPage>, current: string | undefined): Contents => ({
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

/** `directory` holds a file `{slug}.md` for every page of the chapters. Throws when one is missing. */
export const mountGuide = (server: FastifyInstance, directory: string): void => {
  const pages = readPages(directory);
  const files = guideFiles();
  const framed = (page: RenderedPage, slug?: string): string =>
    pageFrame({ place: 'guide', title: page.title, contents: contentsOf(pages, slug), body: page.html });
  const ready = new Map([...pages].map(([slug, page]) => [slug, framed(page, slug)]));
  const notFound = framed(missing);

  const sendPage = (reply: FastifyReply, slug: string): FastifyReply =>
    reply
      .status(ready.has(slug) ? 200 : 404)
      .headers(headers)
      .type('text/html; charset=utf-8')
      .send(ready.get(slug) ?? notFound);

  server.get('/docs', (_request, reply) => reply.redirect('/docs/', 308));
  server.get('/docs/', (_request, reply) => sendPage(reply, 'index'));
  server.get<{ Params: { '*': string } }>('/docs/*', (request, reply) => {
    const path = request.params['*'];
    const file = files.get(path);
    if (file) return sendFile(request, reply, file);
    const slug = path.replace(/\/$/, '');
    // One address for each page, so that relative addresses and bookmarks agree.
    if (ready.has(slug) && path !== `${slug}/`) return reply.redirect(pathOfPage(slug), 308);
    return slug === 'index' ? reply.redirect('/docs/', 308) : sendPage(reply, slug);
  });
};
