/** The page at /api/docs: every operation with its input and output, generated from the contract, without scripts. */
import { errorCatalogue } from '@slipway/contract/kernel/errors.ts';
import { statusOf, type RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { escapeHtml, pageFrame } from '#modules/guide/index.ts';

const accessWords: Readonly<Record<RouteShape['access'], string>> = {
  public: 'everybody',
  signedIn: 'every signed-in identity',
  appMember: "members of the app's team",
  appMemberHidden: "members of the app's team; others get 404",
  appOwner: "owners of the app's team",
  teamMember: 'members of the team',
  teamOwner: 'owners of the team',
  administrator: 'platform administrators',
  administratorHidden: 'platform administrators; others get 404',
};

const codesOf = ({ codes }: RouteShape): string =>
  codes.map((code) => `<code>${code}</code> ${errorCatalogue[code].status} ${escapeHtml(errorCatalogue[code].message)}`).join('<br>') ||
  'only the general ones';

const operation = (route: RouteShape): string => `
<details class="operation" id="${route.id}"><summary><span class="method">${route.method}</span> <code>${escapeHtml(route.path)}</code>
<span class="what">${escapeHtml(route.summary)}</span></summary>
<dl><dt>Operation</dt><dd><code>${route.id}</code></dd>
<dt>For</dt><dd>${accessWords[route.access]}</dd>
<dt>Answers</dt><dd>${statusOf(route)}${route.stream ? `, ${route.stream}` : ''}</dd>
<dt>Codes</dt><dd>${codesOf(route)}</dd></dl></details>`;

const anchorOf = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-');

export const apiPage = (routes: readonly RouteShape[]): string => {
  const groups = [...Map.groupBy(routes, (route) => route.tag)];
  const sections = groups.map(([tag, items]) => `<h2 id="${anchorOf(tag)}">${escapeHtml(tag)}</h2>${items.map(operation).join('')}`);
  return pageFrame({
    place: 'api',
    title: 'API',
    contents: {
      label: 'API',
      groups: [{ heading: 'Operations', links: groups.map(([tag]) => ({ label: tag, href: `#${anchorOf(tag)}` })) }],
    },
    body: `<h1>Slipway API</h1>
<p>Calls carry <code>Authorization: Bearer</code> with an access token or an API token; the guide tells
<a href="/docs/api-and-tokens/">how to make one</a>. The machine-readable description is <a href="/openapi.json">/openapi.json</a>.
Errors have one shape: <code>{ status, title, traceId, errors: [{ field, code, context }], detail, name }</code>.</p>
${sections.join('\n')}`,
  });
};
