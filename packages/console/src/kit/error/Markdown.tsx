/** Markdown of error details, loaded only when there is one. No pictures: they would call addresses that a server's error names. */
import ReactMarkdown from 'react-markdown';

export default function Markdown({ text }: { text: string }) {
  return <ReactMarkdown disallowedElements={['img']}>{text}</ReactMarkdown>;
}
