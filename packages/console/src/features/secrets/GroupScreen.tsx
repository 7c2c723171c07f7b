/** Shows a secret group's page, or the reason why the group cannot be shown. */
import type { SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import type { ReactNode } from 'react';
import { isStatus } from '#kit/api/errors.ts';
import { PageError } from '#entities/PageError.tsx';
import { MissingPart } from '#kit/page/MissingPart.tsx';
import { NotFound } from '#entities/NotFound.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { paths } from '#entities/paths.ts';
import { SecretsNoRight } from './SecretsNoRight.tsx';
import { useGroup, type GroupPlace } from './use-group.ts';

export interface GroupScreenProps {
  children: (shown: { place: GroupPlace; group: SecretGroup | undefined; team: string }) => ReactNode;
}

export function GroupScreen({ children }: GroupScreenProps) {
  const { secrets, place, query, group } = useGroup();
  if (place === undefined) return <NotFound />;
  if (secrets.query.error && !secrets.application) return <PageError what={`app ${place.app}`} query={secrets.query} />;
  if (secrets.isMember === false) {
    return (
      <>
        <PageHeader isList hasSkip={false} name={place.group} typeLabel="Secret group" />
        <PageBody>
          <SecretsNoRight noRight={secrets.noRight} />
        </PageBody>
      </>
    );
  }
  if (isStatus(query.error, 404)) {
    return (
      <MissingPart
        title={`There is no secret group ${place.group} in ${place.env}`}
        link={{ label: `Secret groups of ${place.app}`, href: paths.secretGroups(place) }}
      />
    );
  }
  if (query.error && !group) return <PageError what={`secret group ${place.group}`} query={query} />;
  return children({ place, group, team: secrets.team });
}
