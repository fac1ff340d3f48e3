"""Empties a prefix with boto3, page by page. Arguments: endpoint, bucket, prefix."""

import sys

import boto3

endpoint, bucket, prefix = sys.argv[1:]
client = boto3.client("s3", endpoint_url=endpoint)
for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
    objects = [{"Key": found["Key"]} for found in page.get("Contents", [])]
    if objects:
        answer = client.delete_objects(Bucket=bucket, Delete={"Objects": objects, "Quiet": True})
        if answer.get("Errors"):
            sys.exit(f"keys stayed: {answer['Errors'][:3]}")
