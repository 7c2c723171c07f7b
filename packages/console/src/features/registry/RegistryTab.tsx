/** The container registry of an app: one project for both environments, in four parts. */
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { Outlet, useLocation } from 'react-router';
import { isStatus } from '#kit/api/errors.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { MembersOnly } from '#kit/page/MembersOnly.tsx';
import { paths, type RegistrySection } from '#entities/paths.ts';
import { RegistryActionPlace } from './RegistryAction.tsx';
import { useRegistry } from './use-registry.ts';

const sections: readonly (readonly [RegistrySection, string])[] = [
  ['repositories', 'Repositories'],
  ['robot-accounts', 'Robot accounts'],
  ['webhooks', 'Webhooks'],
  ['policy', 'Policy'],
];

export function Component() {
  const { place, isPlace, query, isMember, noRight } = useRegistry();
  const [, , , , , section = 'repositories'] = useLocation().pathname.split('/');
  if (!isPlace) return null;
  if (isMember === false || isStatus(query.error, 403, 404)) {
    return (
      <MembersOnly label="Container registry" title="The registry is for members of the team">
        {noRight}
      </MembersOnly>
    );
  }
  if (query.error && !query.data) {
    return (
      <Panel aria-label="Container registry">
        <ListError what="container registry" query={query} />
      </Panel>
    );
  }
  return (
    <RegistryActionPlace
      nav={
        <SegmentedLinks
          label="Container registry"
          items={sections.map(([name, label]) => ({
            label,
            href: paths.containerRegistry(place, name),
            isCurrent: name === section,
          }))}
        />
      }
    >
      <Outlet />
    </RegistryActionPlace>
  );
}
