// The page at /: what this API offers, for people who open it in a browser.
import { about } from './about.js';
import { html } from './html.js';
import { routes } from './routes.js';

const also = [
  { method: 'GET', path: '/openapi.json', summary: 'This API as an OpenAPI 3.1 document' },
  { method: 'GET', path: '/healthz', summary: 'Answers 200 while the service is well' },
];

const row = ({ method, path, summary }) => html`
        <tr>
          <td><span class="method" data-method="${method}">${method}</span></td>
          <td>${method === 'GET' && !path.includes('{') ? html`<a href="${path.slice(1)}"><code>${path}</code></a>` : html`<code>${path}</code>`}</td>
          <td>${summary}</td>
        </tr>`;

const table = (title, rows) => html`
      <h2>${title}</h2>
      <table>
        <thead><tr><th scope="col">Method</th><th scope="col">Path</th><th scope="col">What it does</th></tr></thead>
        <tbody>${rows.map(row)}
        </tbody>
      </table>`;

const example = `curl -X POST -H 'content-type: application/json' \\
  -d '{ "name": "Berth 3", "quay": "South Quay", "lengthMetres": 120, "depthMetres": 8 }' \\
  $URL/berths`;

export const indexPage = (connections) => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${about.title}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="style.css">
  </head>
  <body>
    <header>
      <div class="wrap">
        <p class="label">HTTP API</p>
        <h1>${about.title}</h1>
        <p class="state"><span class="dot" aria-hidden="true"></span>Running · version ${about.version} · Node ${process.versions.node}</p>
      </div>
    </header>
    <main class="wrap">${table('Berths', routes)}${table('About this service', also)}
      <h2>Try it</h2>
      <p>Set <code>URL</code> to the address of this page, without the last slash.</p>
      <pre tabindex="0"><code>${example}</code></pre>${connections}
    </main>
  </body>
</html>
`.toString();
