/** Service settings (specification §5). */
import type { ErrorEntry } from './error-entry.ts';

export const serviceSettingsErrors = {
  ReplicasAboveMaximum: { status: 400, message: 'Replicas must be less than or equal to max replicas' },
  MinReplicasAboveMaximum: { status: 400, message: 'Min replicas must be less than or equal to max replicas' },
  SameMountPath: { status: 400, message: "You can't use the same mount path for multiple volumes" },
  DuplicateVolumePaths: { status: 400, message: 'Duplicate volume paths are not allowed' },
  SystemMountPath: {
    status: 400,
    message:
      'A volume here would hide what programs need to start, or how they find other hosts. Take a path of your own, such as /etc/tls',
  },
  ReservedMountPath: { status: 400, message: 'Nothing can be mounted at /, /proc, /dev, /sys or /tmp, or below' },
  DuplicateEnvVar: { status: 400, message: 'The environment variable {name} is set more than once' },
  ExternalTrafficNeedsInternal: { status: 400, message: 'External traffic cannot be on when internal traffic is off' },
  ApiProxyNeedsJwt: { status: 400, message: 'API proxy traffic supports only JWT authentication' },
  SignInNeedsNetworks: {
    status: 400,
    message: 'This machine cannot keep services apart by network, so that a sign-in at the edge could be walked around',
  },
  BasePathFixed: { status: 400, message: 'The base path of an API proxy cannot change once it is applied' },
  DomainInUse: { status: 409, message: 'Another service answers on {address}' },
  DomainReserved: { status: 400, message: 'The platform keeps {address} for itself' },
  NotOnThisEngine: { status: 400, message: '{label} is not offered by this engine' },
  SettingsChangedMeanwhile: {
    status: 409,
    message: 'Somebody changed the settings meanwhile. Look at what is different now, then save again.',
  },
  NothingChanged: { status: 409, message: 'Nothing would change' },
  RollbackToServing: { status: 409, message: 'This revision serves already' },
  RollbackImageGone: { status: 409, message: 'The image {image} is not in the registry any more' },
  RollbackSecretGone: { status: 409, message: 'It needs version {version} of the secret group {group}, which was deleted' },
  CopyOntoItself: { status: 400, message: 'A service cannot be copied onto itself' },
  YamlInvalid: { status: 400, message: 'Line {line}: {reason}' },
  YamlUnknownField: { status: 400, message: 'Line {line}: {name} is not a setting' },
  YamlOtherService: { status: 400, message: 'The file is of {name}, not of this service' },
  BasicAuthNotInUse: { status: 409, message: 'The service does not use basic authentication' },
  AccessTokenNotOffered: {
    status: 409,
    message: 'Tokens come from the sign-in authority of your company. Ask it for one with the audience {audience}.',
  },
} as const satisfies Record<string, ErrorEntry>;
