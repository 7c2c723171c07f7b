/** Form rules of the specification (§5) and our own, reported at a field. */
import type { ErrorEntry } from './error-entry.ts';

export const formsErrors = {
  PhotoInvalid: { status: 400, message: 'Choose a PNG, JPEG or WebP image of at most 256 KB' },
  Required: { status: 400, message: '{label} is required' },
  Maximum: { status: 400, message: 'Maximum {label} of {max} is required' },
  Minimum: { status: 400, message: 'Minimum {label} of {min} is required' },
  NotANumber: { status: 400, message: '{label} must be a number' },
  NotAnInteger: { status: 400, message: '{label} must be an integer' },
  NotARegularExpression: { status: 400, message: '{label} is not a valid regular expression' },
  KebabCase: {
    status: 400,
    message: '{label} can only contain lowercase letters, numbers, and dashes',
  },
  LowercaseAlphanumeric: {
    status: 400,
    message: '{label} can only contain lowercase letters and numbers',
  },
  NotAPath: { status: 400, message: '{label} is not a valid path' },
  PrivateHost: { status: 400, message: '{label}: {host} leads to the service itself, this machine or a private network' },
  NotAHost: { status: 400, message: '{label}: api.example.com, api.example.com:8443 or *.example.com is expected' },
  NotARegistryPath: {
    status: 400,
    message: "{label} must contain full path to the company's container registry",
  },
  DoesNotMatchPattern: { status: 400, message: '{label} does not match expected pattern' },
  ExceedsMaximumLength: { status: 400, message: '{label} exceeds maximum length' },
  MinimumLength: { status: 400, message: '{label} needs at least {min} characters' },
  InvalidName: { status: 400, message: "'{value}' is an invalid name" },
  ServiceNameMustStartWithApplicationName: {
    status: 400,
    message: 'Service name must start with application name',
  },
  TeamMustContainCurrentUser: { status: 400, message: 'Team must contain current user' },
  TeamMustContainCurrentServicePrincipal: {
    status: 400,
    message: 'Team must contain current service principal',
  },
  TeamMustIncludeValidUsers: { status: 400, message: 'Team must include valid users' },
  TeamServicePrincipalsMustBeValid: {
    status: 400,
    message: 'Team service principals must be valid',
  },
  TeamNeedsOwner: { status: 400, message: 'A team needs at least one owner' },
  ChooseExistingRepository: { status: 400, message: 'Please choose an existing GitHub repository' },
  RepositoryNameOnly: { status: 400, message: 'Github repository name must be valid or empty' },
  ContainerImageWrong: { status: 400, message: 'Container image is wrong or does not exist' },
  ImageTagDoesNotExist: {
    status: 400,
    message: 'There is no image with the tag {tag} in {repository}',
  },
  TemplateDoesNotExist: { status: 400, message: 'There is no template with this name' },
  InvalidValue: { status: 400, message: '{label} is not valid' },
  EnvironmentDoesNotExist: { status: 404, message: 'The environment is development or production' },
  QueryTooShort: { status: 400, message: 'Type at least three characters' },
} as const satisfies Record<string, ErrorEntry>;
