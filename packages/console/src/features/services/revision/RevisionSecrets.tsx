/** The secret groups that a revision reads, each with the version fixed when the revision was created. */
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { paths, type AppRef } from '#entities/paths.ts';

export function RevisionSecrets({ place, versions }: { place: AppRef; versions: Readonly<Record<string, number>> }) {
  const names = Object.keys(versions).toSorted();
  if (names.length === 0) return null;
  return (
    <Panel aria-labelledby="revision-secrets">
      <PanelHead title="Secrets" titleId="revision-secrets" />
      <PanelBody>
        <KeyValue
          items={names.map((group) => ({
            key: group,
            label: <Link href={paths.secretGroup({ app: place.app, env: place.env, group })}>{group}</Link>,
            value: `Version ${versions[group]}`,
          }))}
        />
      </PanelBody>
    </Panel>
  );
}
