/** The signing secret of a webhook, shown once. Receivers use it to verify the origin and integrity of deliveries. */
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { paths } from '#entities/paths.ts';
import { ShownOnce } from '#kit/page/ShownOnce.tsx';

export interface MadeSigningSecret {
  name: string;
  secret: string;
  previousEndsAt: string | null;
}

export function SigningSecret({ made, onClose }: { made: MadeSigningSecret; onClose: () => void }) {
  return (
    <ShownOnce
      title={
        <>
          The signing secret of <strong>{made.name}</strong>.
        </>
      }
      secret={made.secret}
      onClose={onClose}
    >
      <p className="meta">
        Each delivery is signed with it, in the header <code>webhook-signature</code>.{' '}
        <a className="in" href={paths.docs('webhooks/#verify-the-signature')} target="_blank" rel="noreferrer">
          How to check a signature
        </a>
        {made.previousEndsAt !== null && (
          <>
            . The old secret signs, too, until it ends <RelativeTime at={made.previousEndsAt} />.
          </>
        )}
      </p>
    </ShownOnce>
  );
}
