/** The page at /api/docs: every operation with what it takes and answers, made from the contract, without a script. */
import { errorCatalogue } from '@slipway/contract/errors.ts';
import { statusOf, type RouteShape } from '@slipway/contract/kernel.ts';

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);

const accessWords: Readonly<Record<RouteShape['access'], string>> = {
  public: 'everybody',
  signedIn: 'every signed-in identity',
  appMember: "members of the app's team",
  appMemberHidden: "members of the app's team; others get 404",
  appOwner: "owners of the app's team",
  teamMember: 'members of the team',
  teamOwner: 'owners of the team',
  administrator: 'platform administrators',
};

const operation = (route: RouteShape): string => `
<details id="${route.id}"><summary><b class="${route.method}">${route.method}</b> <code>${escape(route.path)}</code> <span>${escape(route.summary)}</span></summary>
<dl><dt>Operation</dt><dd><code>${route.id}</code></dd>
<dt>For</dt><dd>${accessWords[route.access]}</dd>
<dt>Answers</dt><dd>${statusOf(route)}${route.stream ? `, ${route.stream}` : ''}</dd>
<dt>Codes</dt><dd>${route.codes.map((code) => `<code>${code}</code> ${errorCatalogue[code].status} ${escape(errorCatalogue[code].message)}`).join('<br>') || 'only the general ones'}</dd></dl></details>`;

export const apiPage = (routes: readonly RouteShape[]): string => {
  const groups = Map.groupBy(routes, (route) => route.tag);
  const sections = [...groups].map(([tag, items]) => `<section><h2>${escape(tag)}</h2>${items.map(operation).join('')}</section>`);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>API · Slipway</title><link rel="stylesheet" href="/api-docs.css"></head><body><main><h1>Slipway API</h1>
<p>Calls carry <code>Authorization: Bearer</code> with an access token or an API token. The machine-readable description is
<a href="/openapi.json">/openapi.json</a>. Errors have one shape: <code>{ status, title, traceId, errors: [{ field, code, context }], detail, name }</code>.</p>
${sections.join('\n')}</main></body></html>`;
};
