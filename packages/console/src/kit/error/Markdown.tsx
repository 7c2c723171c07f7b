/** Markdown of error details, loaded on demand. No images: they would request URLs from a server's error text. */
import ReactMarkdown from 'react-markdown';

export default function Markdown({ text }: { text: string }) {
  return <ReactMarkdown disallowedElements={['img']}>{text}</ReactMarkdown>;
}
