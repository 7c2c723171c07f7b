// A page with one message and one link.
import { html } from './html.ts';
import { renderPage } from './page.ts';

export interface Message {
  readonly title: string;
  readonly text: string;
  /** Details for troubleshooting, e.g. an OAuth error code. */
  readonly detail?: string | undefined;
  /** Text of the link to the console. */
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
