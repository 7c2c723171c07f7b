/** The referrers of an image: signatures, provenance, SBOMs and other attached artifacts. */
import type { ImageDetail } from '@slipway/contract/registry/images.ts';
import { FileCheck2, FileSearch, FileSignature, Paperclip } from 'lucide-react';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { Copy } from '@slipway/ui/text/Copy.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { referrerName, type ReferrerSort } from './referrer-name.ts';
import css from './ReferrersPanel.module.css';

const icons: Readonly<Record<ReferrerSort, typeof Paperclip>> = {
  signature: FileSignature,
  provenance: FileCheck2,
  sbom: FileSearch,
  other: Paperclip,
};

export function ReferrersPanel({ detail }: { detail: ImageDetail | undefined }) {
  if (!detail) return null;
  const { referrers, repository, digest } = detail;
  return (
    <Panel aria-labelledby="referrers">
      <PanelHead title="Referrers" titleId="referrers" {...(referrers.length > 0 ? { note: String(referrers.length) } : {})} />
      {referrers.length === 0 ? (
        <PanelBody className="stack stack-8">
          <p className="meta">Nothing refers to this image: no signature, no provenance, no attached file.</p>
          <CommandLine
            command={`oras attach ${runtimeConfig().registryHost}/${repository}@${digest} --artifact-type application/vnd.example ./file`}
          />
        </PanelBody>
      ) : (
        <ul className={css.list}>
          {referrers.map(({ digest: own, artifactType, sizeBytes, pushedAt }) => {
            const { sort, label } = referrerName(artifactType);
            const Icon = icons[sort];
            return (
              <li key={own}>
                <Icon aria-hidden="true" className={css.icon} />
                <span className={css.words}>
                  <strong>{label}</strong>
                  <span className="meta ell" title={artifactType}>
                    {artifactType}
                  </span>
                </span>
                <span className={css.end}>
                  <span className="num">{bytes(sizeBytes)}</span>
                  <span className="meta">
                    <RelativeTime at={pushedAt} isShort />
                  </span>
                </span>
                <Copy text={own} what={`digest of ${label}`} />
              </li>
            );
          })}
        </ul>
      )}
    </Panel>
  );
}
