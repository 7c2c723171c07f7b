/** Shown to non-members in place of databases. */
import { MembersOnly } from '#kit/page/MembersOnly.tsx';

export function DatabasesNoRight({ noRight }: { noRight: string }) {
  return (
    <MembersOnly label="Databases" title="Databases are for members of the team">
      {noRight}
    </MembersOnly>
  );
}
