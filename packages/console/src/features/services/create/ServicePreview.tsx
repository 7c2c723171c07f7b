/** The preview beside the form: everything that will be created, with names filled in while the user types. */
import { megabytes } from '@slipway/ui/format/bytes.ts';
import { millicores } from '@slipway/ui/format/millicores.ts';
import type { MadeItem } from '@slipway/ui/list/MadeList.tsx';
import { GitBranch, Globe, Layers, Server } from 'lucide-react';
import { CreationPanel } from '#entities/plan/CreationPanel.tsx';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import type { ServiceRef } from '#entities/paths.ts';

interface ServicePreviewProps {
  place: ServiceRef;
  image: string;
  /** Empty if there is no repository. */
  repository: string;
  resources: { cpuMillicores?: number | null; memoryMegabytes?: number | null } | undefined;
}

const sizeOf = ({ place, resources }: ServicePreviewProps): string => {
  const { cpuMillicores, memoryMegabytes } = resources ?? {};
  const size = [...(cpuMillicores ? [millicores(cpuMillicores)] : []), ...(memoryMegabytes ? [megabytes(memoryMegabytes)] : [])].join(', ');
  return [place.env === 'production' ? 'Production' : 'Development', 'West Europe', ...(size ? [size] : [])].join(' · ');
};

const itemsOf = (props: ServicePreviewProps): MadeItem[] => {
  const { place, image, repository } = props;
  const { gitUrl, serviceUrl } = runtimeConfig();
  const url = serviceUrl.replaceAll('{service}', place.service).replaceAll('{app}', place.app).replaceAll('{env}', place.env);
  const highlight = place.service;
  return [
    { key: 'service', label: 'Service', value: place.service, note: sizeOf(props), highlight, icon: <Server aria-hidden="true" /> },
    {
      key: 'image',
      label: 'Image',
      value: image,
      note: 'Where you push; any tag of it can be deployed',
      highlight,
      icon: <Layers aria-hidden="true" />,
    },
    ...(repository === ''
      ? []
      : [
          {
            key: 'repository',
            label: 'Repository, connected',
            value: `${gitUrl.replace(/^https?:\/\//, '')}/${place.app}/${repository}.git`,
            note: place.env === 'production' ? 'A link: pushes deploy to development alone' : 'The next push builds and deploys',
            icon: <GitBranch aria-hidden="true" />,
          },
        ]),
    { key: 'url', label: 'URL', value: url, note: 'Answers after the first pipeline', highlight, icon: <Globe aria-hidden="true" /> },
  ];
};

export function ServicePreview(props: ServicePreviewProps) {
  return (
    <CreationPanel items={itemsOf(props)}>Everything else starts with default settings. You can change them at any time.</CreationPanel>
  );
}
