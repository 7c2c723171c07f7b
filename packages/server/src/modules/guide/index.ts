/** The public interface of the user guide. Other script-free pages use its frame and style sheet. */
export { escapeHtml } from './escape-html.ts';
export { mountGuide } from './guide.ts';
export { documentPolicy, pageFrame } from './page-frame.ts';
