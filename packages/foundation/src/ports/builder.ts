export interface BuildRequest {
  /** Unique per attempt; names the working directory. */
  readonly buildId: string;
  /** The source tree: path → content and mode. Paths are relative, POSIX, without `..`. */
  readonly files: readonly SourceFile[];
  /** `{project}/{name}` in the platform's registry. */
  readonly repository: string;
  readonly tag: string;
  /** OCI image labels, e.g. org.opencontainers.image.revision. */
  readonly labels: Readonly<Record<string, string>>;
  readonly onLog: (line: string) => void;
  readonly signal?: AbortSignal;
}
export interface SourceFile {
  readonly path: string;
  readonly content: Uint8Array;
  readonly isExecutable: boolean;
}
export interface BuiltImage {
  readonly digest: string;
  readonly sizeBytes: number;
}

/** Makes an image from a source tree and pushes it through the registry's own API. */
export interface Builder {
  /** Prepares what all builds share (the base layer), so that the first build is as fast as the second. */
  warm(): Promise<void>;
  /** Rejected with a message code if the source cannot be built; unavailable if the registry is down. */
  build(request: BuildRequest): Promise<BuiltImage>;
  close(): Promise<void>;
}
