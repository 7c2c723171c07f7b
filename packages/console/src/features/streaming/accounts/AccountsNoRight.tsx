/** Shown to non-members in place of accounts. */
import { MembersOnly } from '#kit/page/MembersOnly.tsx';

export function AccountsNoRight({ noRight }: { noRight: string }) {
  return (
    <MembersOnly label="Accounts" title="Accounts are for members of the team">
      {noRight}
    </MembersOnly>
  );
}
