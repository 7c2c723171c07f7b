// The page at /: how the worker is and what its last runs did.
import { about } from './about.js';
import { html } from './html.js';

const timeFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

const row = ({ number, startedAt, tookMs, isOk, summary }) => html`
          <tr>
            <td>${number}</td>
            <td><span class="method" data-state="${isOk ? 'ok' : 'failed'}">${isOk ? 'OK' : 'FAILED'}</span></td>
            <td><time datetime="${startedAt}">${timeFormat.format(new Date(startedAt))}</time></td>
            <td>${tookMs} ms</td>
            <td>${summary}</td>
          </tr>`;

const table = (runs) => html`
      <div class="scroll" tabindex="0" role="region" aria-labelledby="runs">
        <table>
          <thead>
            <tr><th scope="col">Run</th><th scope="col">Result</th><th scope="col">Started (UTC)</th><th scope="col">Took</th><th scope="col">What it found</th></tr>
          </thead>
          <tbody>${runs.map(row)}
          </tbody>
        </table>
      </div>`;

export const statusPage = ({ runs, health, intervalMs, connections }) => html`<!doctype html>
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
        <p class="label">Worker</p>
        <h1>${about.title}</h1>
        <p class="state"><span class="dot" data-state="${health.isWell ? 'ok' : 'failed'}" aria-hidden="true"></span>${health.isWell ? 'Well' : `Not well: ${health.reason}`} · runs every ${intervalMs / 1000} s · version ${about.version}</p>
      </div>
    </header>
    <main class="wrap">
      <h2 id="runs">Last runs</h2>${runs.length === 0 ? html`
      <p>The first run has not ended yet.</p>` : table(runs)}
      <p class="after"><a href="./">Refresh</a>, or read it as <a href="runs.json">JSON</a>. The job is <code>src/job.js</code>.</p>${connections}
    </main>
  </body>
</html>
`.toString();
