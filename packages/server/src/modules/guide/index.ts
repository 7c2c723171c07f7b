/** The user guide's door. Other pages without a script use its frame and its sheet. */
export { escapeHtml } from './escape-html.ts';
export { mountGuide } from './guide.ts';
export { documentPolicy, pageFrame } from './page-frame.ts';
