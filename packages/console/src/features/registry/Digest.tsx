/** A shortened digest with a button that copies the full digest. */
import { Copy } from '@slipway/ui/text/Copy.tsx';
import css from './Digest.module.css';

const shown = /^(\w+:\w{4})\w+(\w{4})$/;
/** `sha256:9c41…7be2` */
export const shortDigest = (digest: string): string => digest.replace(shown, '$1…$2');

export function Digest({ digest }: { digest: string }) {
  return (
    <span className={css.digest}>
      <code title={digest}>{shortDigest(digest)}</code>
      <Copy text={digest} what="digest" />
    </span>
  );
}
