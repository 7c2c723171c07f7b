// A page that says one thing and offers one way on.
import { html } from './html.ts';
import { renderPage } from './page.ts';

export interface Message {
  readonly title: string;
  readonly text: string;
  /** For whoever has to find the cause, e.g. an OAuth error code. */
  readonly detail?: string | undefined;
  /** The words of the link to the console. */
  readonly link: string;
}

export const messagePage = ({ title, text, detail, link }: Message): string =>
  renderPage({
    title,
    lead: text,
    body: html`<div class="fields">
      ${detail !== undefined && detail !== '' && html`<p class="detail"><code>${detail}</code></p>`}
      <a class="button" href="/">${link}</a>
    </div>`,
  });
