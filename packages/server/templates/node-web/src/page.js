// The page. Everything on it is made here, on the server; it works without a script.
import { hostname } from 'node:os';

import { about } from './about.js';
import { assetAddress } from './assets.js';
import { html } from './html.js';
import { scene } from './scene.js';

const timeFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const time = (at) => html`<time datetime="${at.toISOString()}">${timeFormat.format(at)} UTC</time>`;

const startedAt = new Date(Date.now() - process.uptime() * 1000);

const fact = (name, value) => html`
            <div><dt>${name}</dt><dd>${value}</dd></div>`;

const facts = () => html`
          <dl class="facts">${fact('Service', about.name)}${fact('Version', about.version)}${fact('Instance', hostname())}${fact('Started', time(startedAt))}${fact('Runs on', `Node ${process.versions.node}`)}
          </dl>`;

const field = ({ name, label, hint, error, control }) => html`
            <div class="field">
              <label for="${name}">${label}</label>
              <p class="hint" id="${name}-hint">${hint}</p>
              ${error && html`<p class="error" id="${name}-error">${error}</p>`}
              ${control({ describedBy: error ? `${name}-error ${name}-hint` : `${name}-hint` })}
            </div>`;

const form = ({ values = {}, errors = {} }) => {
  // The browser puts the cursor into the first field that has to be corrected.
  const first = ['name', 'message'].find((name) => errors[name]);
  const focus = (name) => name === first && html` autofocus`;
  const invalid = (name) => errors[name] && html` aria-invalid="true"`;
  return html`
          <form method="post" action="./" novalidate>${field({
            name: 'name',
            label: 'Your name',
            hint: 'Up to 40 characters',
            error: errors.name,
            control: ({ describedBy }) =>
              html`<input id="name" name="name" autocomplete="name" required value="${values.name}" aria-describedby="${describedBy}"${invalid('name')}${focus('name')}>`,
          })}${field({
            name: 'message',
            label: 'Message',
            hint: 'Up to 280 characters, for everyone who opens this page',
            error: errors.message,
            control: ({ describedBy }) =>
              html`<textarea id="message" name="message" rows="3" required aria-describedby="${describedBy}"${invalid('message')}${focus('message')}>${values.message}</textarea>`,
          })}
            <button>Write it down</button>
          </form>`;
};

const entry = ({ name, message, at }) => html`
            <li>
              <p class="message">${message}</p>
              <p class="by">${name}, ${time(at)}</p>
            </li>`;

const entries = (list) =>
  list.length === 0
    ? html`
          <p class="empty">The logbook is empty. Write the first line.</p>`
    : html`
          <ol class="entries" reversed>${list.map(entry)}
          </ol>`;

const steps = html`
          <ol class="steps">
            <li><h3>Clone it</h3><p>The repository’s address is on the service’s page in Slipway.</p></li>
            <li><h3>Change it</h3><p>This page is <code>src/page.js</code>, its looks are <code>public/style.css</code>. <code>npm start</code> shows it on your machine.</p></li>
            <li><h3>Push it</h3><p>The default branch is built and takes over when it is healthy. Nobody sees a gap.</p></li>
          </ol>`;

/** The page with the logbook's entries, and with what is wrong when a sent form was not accepted. */
export const page = ({ list, values, errors = {}, connections }) => {
  const isWrong = Object.keys(errors).length > 0;
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${isWrong && 'Not written down: '}${about.title}</title>
    <link rel="icon" href="${assetAddress('favicon.svg')}" type="image/svg+xml">
    <link rel="stylesheet" href="${assetAddress('style.css')}">
  </head>
  <body>
    <a class="skip" href="#main">Skip to the content</a>
    <header class="hero">${scene}
    </header>
    <main id="main">
      <div class="wrap">
        <section class="intro">
          <p class="state"><span class="dot" aria-hidden="true"></span>Afloat</p>
          <h1>${about.title}</h1>
          <p class="lead">Your service is built, healthy and serving this page.</p>${facts()}
        </section>
        <div class="columns">
          <section id="logbook" aria-labelledby="logbook-title">
            <h2 id="logbook-title">Logbook</h2>${form({ values, errors })}${entries(list)}
          </section>
          <section aria-labelledby="next-title">
            <h2 id="next-title">Make it yours</h2>${steps}
          </section>
        </div>
      </div>${connections}
    </main>
    <footer><div class="wrap"><p>${about.title} · <a href="healthz">health</a></p></div></footer>
  </body>
</html>
`.toString();
};

/** A page that says one thing, for errors. */
export const messagePage = (title, text) =>
  html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="stylesheet" href="/${assetAddress('style.css')}">
  </head>
  <body>
    <main class="wrap lonely">
      <h1>${title}</h1>
      <p class="lead">${text}</p>
      <p><a href="/">Back to the page</a></p>
    </main>
  </body>
</html>
`.toString();
