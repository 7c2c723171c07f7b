/** The media types that are spoken here: OCI's and Docker's names for the same four things. */
export const ociManifest = 'application/vnd.oci.image.manifest.v1+json';
export const ociIndex = 'application/vnd.oci.image.index.v1+json';
export const ociConfig = 'application/vnd.oci.image.config.v1+json';
export const ociLayerTar = 'application/vnd.oci.image.layer.v1.tar';
export const ociLayerGzip = 'application/vnd.oci.image.layer.v1.tar+gzip';
const dockerManifest = 'application/vnd.docker.distribution.manifest.v2+json';
const dockerIndex = 'application/vnd.docker.distribution.manifest.list.v2+json';

export const isManifest = (mediaType: string): boolean => mediaType === ociManifest || mediaType === dockerManifest;
export const isIndex = (mediaType: string): boolean => mediaType === ociIndex || mediaType === dockerIndex;
export const acceptedManifests = [ociManifest, ociIndex, dockerManifest, dockerIndex].join(', ');

export type Compression = 'none' | 'gzip' | 'zstd';

const layerCompressions: ReadonlyMap<string, Compression> = new Map([
  [ociLayerTar, 'none'],
  [ociLayerGzip, 'gzip'],
  ['application/vnd.oci.image.layer.v1.tar+zstd', 'zstd'],
  ['application/vnd.docker.image.rootfs.diff.tar', 'none'],
  ['application/vnd.docker.image.rootfs.diff.tar.gzip', 'gzip'],
  ['application/vnd.docker.image.rootfs.diff.tar.zstd', 'zstd'],
]);

/** undefined for anything that is not a layer which may be stored here (foreign layers, artifacts). */
export const layerCompression = (mediaType: string): Compression | undefined => layerCompressions.get(mediaType);
