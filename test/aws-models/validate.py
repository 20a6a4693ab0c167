"""Validates requests and answers, a JSON object a line on standard input, against the service models of botocore.

The `side` of an object says which of the two its `content` is: `input` or `output`.

Prints each kind of error once, with how often it occurs, and then the numbers of requests and answers. Ends with 1 where there is
an error. The answers are those of stand-ins: one that the service cannot give proves nothing.
"""
import json
import re
import sys
from collections import Counter

import botocore.session
from botocore.validate import ParamValidator

SERVICES = {
    'ARCZonalShiftClient': 'arc-zonal-shift',
    'AutoScalingClient': 'autoscaling',
    'CloudFormationClient': 'cloudformation',
    'CloudWatchClient': 'cloudwatch',
    'CloudWatchLogsClient': 'logs',
    'DynamoDBClient': 'dynamodb',
    'EC2Client': 'ec2',
    'EKSClient': 'eks',
    'IAMClient': 'iam',
    'LambdaClient': 'lambda',
    'PricingClient': 'pricing',
    'S3Client': 's3',
    'SavingsplansClient': 'savingsplans',
    'SQSClient': 'sqs',
    'STSClient': 'sts',
}

session = botocore.session.get_session()
models = {}


def model_of(client):
    if client not in models:
        models[client] = session.get_service_model(SERVICES[client])
    return models[client]


# Lists that grow by the week: what a stand-in answers may be newer than the model.
GROWING = {'InstanceType'}


def values(value, shape, where, growing):
    """What botocore leaves to the service: members that do not exist, enumerations but for those that are growing, patterns
    and lengths."""
    if value is None:
        return
    if shape.type_name == 'structure' and isinstance(value, dict):
        for name, member in value.items():
            if name not in shape.members:
                yield f'{where}.{name} does not exist'
            else:
                yield from values(member, shape.members[name], f'{where}.{name}', growing)
    elif shape.type_name == 'list' and isinstance(value, list):
        for member in value:
            yield from values(member, shape.member, f'{where}[]', growing)
    elif shape.type_name == 'map' and isinstance(value, dict):
        for member in value.values():
            yield from values(member, shape.value, f'{where}{{}}', growing)
    elif shape.type_name == 'string' and isinstance(value, str):
        if shape.enum and value not in shape.enum and shape.name not in growing:
            yield f'{where} is {value!r}, which is none of its values'
        pattern = shape.metadata.get('pattern')
        if pattern and not matches(pattern, value):
            yield f'{where} is {value!r}, which does not match {pattern}'
        if len(value) > shape.metadata.get('max', len(value)):
            yield f'{where} is longer than {shape.metadata["max"]}'


def matches(pattern, value):
    try:
        # The model's pattern for the ARN of a placement group has the beginning of the text in its middle, where nothing matches.
        return re.fullmatch(pattern.replace('/^', '/'), value) is not None
    except re.error:
        # A pattern of Java or of Unicode classes, which Python does not read.
        return True


def errors_of(client, command, side, content):
    operation = command.removesuffix('Command')
    if client not in SERVICES:
        return [f'{client} is of a service that this script does not name']
    model = model_of(client)
    if operation not in model.operation_names:
        return [f'{client} has no operation {operation}']
    shape = getattr(model.operation_model(operation), f'{side}_shape')
    if shape is None:
        return [f'{operation} has no {side}'] if content else []
    report = ParamValidator().validate(content, shape)
    found = [f'{operation}, {side}: {one}' for one in re.sub(r'\[\d+\]', '[]', report.generate_report()).splitlines()]
    growing = GROWING if side == 'output' else set()
    return found + list(values(content, shape, f'{operation}, {side}', growing))


def parsed(value):
    return bytes(value['data']) if value.get('type') == 'Buffer' else value


def main():
    errors = Counter()
    seen = {'input': Counter(), 'output': Counter()}
    for line in sys.stdin:
        call = json.loads(line, object_hook=parsed)
        side = call['side']
        seen[side][call['client']] += 1
        content = call.get('content') or {}
        if side == 'output':
            # What a service leaves out is null to some of the SDK's readers.
            content = {name: member for name, member in content.items() if member is not None}
        for error in errors_of(call['client'], call['command'], side, content):
            errors[error] += 1
    for error, times in sorted(errors.items()):
        print(f'{times} x {error}')
    for what, side in (('requests', 'input'), ('answers', 'output')):
        print(f'{what}: ' + ', '.join(f'{client} {times}' for client, times in sorted(seen[side].items())))
    return 1 if errors or not all(seen.values()) else 0


sys.exit(main())
