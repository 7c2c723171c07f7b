/** Shown to non-members in place of secrets. */
import { MembersOnly } from '#kit/page/MembersOnly.tsx';

export function SecretsNoRight({ noRight }: { noRight: string }) {
  return (
    <MembersOnly label="Secrets manager" title="Secrets are for members of the team">
      {noRight}
    </MembersOnly>
  );
}
