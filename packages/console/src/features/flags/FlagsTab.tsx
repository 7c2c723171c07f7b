/** The feature flags of an app, in three parts: flags, client keys, saved groups. */
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { Outlet, useLocation } from 'react-router';
import { paths } from '#entities/paths.ts';
import { useAppPlace } from '#entities/team/use-app-place.ts';
import { MembersOnly } from '#kit/page/MembersOnly.tsx';

const parts = [
  [undefined, 'Flags'],
  ['client-keys', 'Client keys'],
  ['saved-groups', 'Saved groups'],
] as const;

export function Component() {
  const { app, env, isMember, noRight } = useAppPlace();
  const [, , , , , segment] = useLocation().pathname.split('/');
  if (env === undefined) return null;
  if (isMember === false) return <MembersOnly label="Feature flags">{noRight}</MembersOnly>;
  const current = parts.find(([part]) => part === segment)?.[0];
  return (
    <div className="stack">
      <div>
        <SegmentedLinks
          label="Feature flags"
          items={parts.map(([part, label]) => ({ label, href: paths.flags({ app, env }, part), isCurrent: part === current }))}
        />
      </div>
      {isMember && <Outlet />}
    </div>
  );
}
