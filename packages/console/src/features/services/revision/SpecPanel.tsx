/** Settings of a service or a revision that explain most of its behavior. */
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { megabytes } from '@slipway/ui/format/bytes.ts';
import { millicores } from '@slipway/ui/format/millicores.ts';
import { regionName } from '#entities/region.ts';
import { healthCheckLabel, replicaLabel, rolloutNames, trafficLabel } from '#features/services/service-labels.ts';

export interface SpecPanelProps {
  spec: ServiceSpec;
  isShort?: boolean;
  /** Link to all settings, or to the place where they can be changed. */
  link?: { label: string; href: string } | undefined;
}

export function SpecPanel({ spec, isShort = false, link }: SpecPanelProps) {
  const traffic = trafficLabel(spec);
  const facts = [
    { label: 'CPU', value: millicores(spec.resources.cpuMillicores) },
    { label: 'Memory', value: megabytes(spec.resources.memoryMegabytes) },
    // Scaling does not create a new revision, so the current number may differ.
    { label: isShort ? 'Replicas' : 'Replicas, when made', value: replicaLabel(spec) },
    { label: 'Health check', value: <code>{healthCheckLabel(spec)}</code> },
    { label: 'Port', value: traffic.port },
    { label: 'Sign-in', value: traffic.signIn },
    { label: 'Rollout', value: rolloutNames[spec.rollout.strategy] },
  ];
  const more = [
    { label: 'Region', value: regionName(spec.region) },
    { label: 'Variables', value: String(spec.template.envVars.length) },
  ];
  return (
    <Panel aria-labelledby="runs-with">
      <PanelHead title="Runs with" titleId="runs-with">
        {link && <Link href={link.href}>{link.label}</Link>}
      </PanelHead>
      <PanelBody>
        <KeyValue items={isShort ? facts : [...facts, ...more]} />
      </PanelBody>
    </Panel>
  );
}
