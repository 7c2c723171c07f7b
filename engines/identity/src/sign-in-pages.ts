// The sign-in pages: choose a demo person, enter the demo code, or enter a password.
import type { Choice } from './demo/demo-people.ts';
import { Html, html } from './html.ts';
import { errorNote, renderPage } from './page.ts';

interface FormState {
  /** Target URL of the form. */
  readonly action: string;
  readonly problem?: string | undefined;
}

const initialsOf = (name: string): string => {
  const words = name.split(/\s+/).filter((word) => word !== '');
  return [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '').join('');
};

/** Marks a field as invalid and references its error and hint. */
const invalid = (problem: string | undefined, hint?: string): Html => {
  const texts = [problem === undefined ? undefined : 'problem', hint].filter((id) => id !== undefined).join(' ');
  return html`${problem !== undefined && new Html('aria-invalid="true"')} ${texts !== '' && html`aria-describedby="${texts}"`}`;
};

const chevron = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="m9 18 6-6-6-6" /></svg>`;

const personRow = ({ id, name, roles }: Choice): Html =>
  html`<li>
    <button class="person" name="identity" value="${id}">
      <span class="avatar" aria-hidden="true">${initialsOf(name)}</span>
      <span class="who"><b>${name}</b>${roles.map((role) => html`<small>${role}</small>`)}</span>
      ${chevron}
    </button>
  </li>`;

export const peoplePage = (people: readonly Choice[], { action, problem }: FormState): string =>
  renderPage({
    title: 'Sign in as',
    lead: 'This installation runs its own identity provider with demo people. Each has different rights.',
    body: html`${problem !== undefined && html`<div class="note">${errorNote(problem)}</div>`}
      <form method="post" action="${action}">
        <ul class="people">
          ${people.map(personRow)}
        </ul>
      </form>`,
    foot: 'Demo mode: demo people need no password. Your own installation uses company sign-in or local users.',
  });

export const codePage = ({ action, problem, typed }: FormState & { typed?: string | undefined }): string =>
  renderPage({
    title: 'Enter the demo code',
    lead: 'Demo people have no passwords. The code shows that you can see the machine that Slipway runs on.',
    body: html`<form class="fields" method="post" action="${action}">
      <div class="field">
        <label for="code">Code</label>
        <input
          class="input code"
          id="code"
          name="code"
          required
          autofocus
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          maxlength="20"
          placeholder="XXXX-XXXX"
          value="${typed}"
          ${invalid(problem, 'hint')}
        />
        ${problem !== undefined && errorNote(problem)}
        <p class="hint" id="hint">
          The terminal where Slipway was started shows it, after <code>npm start</code>. The link printed there fills it in.
        </p>
      </div>
      <button class="button">Continue</button>
    </form>`,
    foot: 'This browser will be remembered. The code stays the same when Slipway starts again.',
  });

export const passwordPage = ({ action, problem, username }: FormState & { username?: string | undefined }): string =>
  renderPage({
    title: 'Sign in',
    body: html`<form class="fields" method="post" action="${action}">
      ${problem !== undefined && errorNote(problem)}
      <div class="field">
        <label for="username">User name</label>
        <input
          class="input"
          id="username"
          name="username"
          required
          ${username === undefined && new Html('autofocus')}
          autocomplete="username"
          autocapitalize="none"
          spellcheck="false"
          maxlength="200"
          value="${username}"
          ${invalid(problem)}
        />
      </div>
      <div class="field">
        <label for="password">Password</label>
        <input
          class="input"
          id="password"
          name="password"
          type="password"
          required
          ${username !== undefined && new Html('autofocus')}
          autocomplete="current-password"
          maxlength="1000"
          ${invalid(problem)}
        />
      </div>
      <button class="button">Sign in</button>
    </form>`,
    foot: 'Forgotten your password? Ask whoever runs this installation.',
  });
