/** The header of an image page: tag, verdict, digest, size, platform, author, and actions. */
import { imageSbomDownload } from '@slipway/contract/registry/scan.ts';
import type { ImageDetail } from '@slipway/contract/registry/images.ts';
import { Badge } from '@slipway/ui/feedback/Badge.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Download, Ellipsis, ScanSearch, Terminal, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { send2xx } from '#kit/api/call.ts';
import { toastError } from '#kit/error/toast-error.ts';
import { disabledUnless, messageFor } from '#kit/error/messages.ts';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { saveFile } from '#kit/save-file.ts';
import { paths } from '#entities/paths.ts';
import { shortDigest } from '#features/registry/Digest.tsx';
import { pusherName } from '#features/registry/pusher-name.ts';
import { deleteReason } from '#features/registry/repositories/tag-reasons.ts';
import { useTagActions } from '#features/registry/repositories/use-tag-actions.ts';
import { scanLook } from '#features/registry/scan-labels.ts';
import { imageParams, useScan, type ImageRef } from '#features/registry/ScanStatus.tsx';
import { PullDialog } from './PullDialog.tsx';

interface HeaderProps {
  image: ImageRef;
  detail: ImageDetail | undefined;
  team: string;
}

export function ImageHeader({ image, detail, team }: HeaderProps) {
  const { data: scan } = useScan(image);
  const look = scan && scanLook(scan);
  return (
    <PageHeader
      typeLabel="Image"
      name={image.tag}
      copyText={image.tag}
      status={
        <>
          {look && <Badge tone={look.tone}>{look.word}</Badge>}
          {detail?.isSigned && <Tag>Signed</Tag>}
        </>
      }
      actions={<Actions image={image} detail={detail} team={team} />}
    >
      <Details items={detailsOf(image, detail, scan?.result?.scannedAt)} />
    </PageHeader>
  );
}

const platformWords = ({ platforms }: ImageDetail): string =>
  platforms.map(({ os, architecture, variant }) => [os, architecture, variant].filter(Boolean).join('/')).join(', ') || 'not said';

const detailsOf = (image: ImageRef, detail: ImageDetail | undefined, scannedAt: string | undefined): Detail[] => [
  { label: 'Repository', value: <Link href={paths.repository(image)}>{image.repository}</Link> },
  ...(detail
    ? [
        { label: 'Digest', value: <code>{shortDigest(detail.digest)}</code>, copyText: detail.digest },
        { label: 'Size', value: bytes(detail.sizeBytes) },
        { label: 'Platform', value: platformWords(detail) },
        {
          label: 'Pushed by',
          value: (
            <span>
              {pusherName(detail.pushedBy, image.app)}, <RelativeTime at={detail.pushedAt} />
            </span>
          ),
        },
        { label: 'Scanned', value: scannedAt === undefined ? 'Not yet' : <RelativeTime at={scannedAt} /> },
        ...(detail.otherTags.length === 0
          ? []
          : [{ label: 'Also tagged', value: <span className="mono">{detail.otherTags.join(', ')}</span>, isWide: true }]),
      ]
    : [{ label: 'Digest', value: '–' }]),
];

const useSbom = (image: ImageRef) => async (): Promise<void> => {
  try {
    const answer = await send2xx(imageSbomDownload, { params: imageParams(image) });
    saveFile(await answer.blob(), `${image.repository.replaceAll('/', '-')}-${image.tag}.cdx.json`);
  } catch (error) {
    toastError('The SBOM could not be downloaded', error);
  }
};

function Actions({ image, detail, team }: HeaderProps) {
  const { data: scan } = useScan(image);
  const navigate = useNavigate();
  const [isPulling, setPulling] = useState(false);
  const actions = useTagActions(image, image.repository, async () => navigate(paths.repository(image)));
  const download = useSbom(image);
  const isMoving = scan?.state === 'QUEUED' || scan?.state === 'SCANNING';
  return (
    <>
      <Button
        icon={<ScanSearch aria-hidden="true" />}
        isBusy={actions.isScanning || isMoving}
        busyLabel="Scanning"
        onClick={() => void actions.scan(image.tag)}
        {...disabledUnless(scan?.can, 'scan', { team })}
      >
        {scan?.result ? 'Scan again' : 'Scan now'}
      </Button>
      <Menu
        trigger={<IconButton label={`More actions for ${image.tag}`} icon={<Ellipsis aria-hidden="true" />} />}
        items={[
          { label: 'Pull this image', icon: <Terminal aria-hidden="true" />, onSelect: () => setPulling(true) },
          {
            label: 'Download SBOM',
            icon: <Download aria-hidden="true" />,
            onSelect: () => void download(),
            ...(scan?.result ? {} : { disabledReason: messageFor('ImageNotScanned') }),
          },
          'line',
          {
            label: 'Delete tag',
            icon: <Trash2 aria-hidden="true" />,
            isDanger: true,
            onSelect: () => detail && actions.remove(detail),
            disabledReason: detail && deleteReason(detail, team),
          },
        ]}
      />
      {isPulling && detail && <PullDialog image={image} digest={detail.digest} onClose={() => setPulling(false)} />}
    </>
  );
}
